import type { Part } from '../script-parts.js'

/** Digests of the files of the bundled model. Written by `npm run train`. */
export const DIGESTS: Readonly<Record<Part, string>> = {
  latin: 'sha256:9f10e07de1f7b658b5fe4353a782004c7f7b671a3df3ec4238aae92ef62a9114',
  european: 'sha256:8baa3bd567a6aefc73d9f42c1f5b4882317b5885725dbcc1cef2bde435ea1c58',
  cyrillic: 'sha256:ce9fd9c5d14a468802039cd38ccb6298d1dc7e6a446c12ba67e768f8ed10beb7',
  han: 'sha256:68e5ff0c7ad9dfc0d8791f599e8a6133924355a4dd80861df7f117bb98e4bb32',
  kana: 'sha256:d6fdfd06481d56ef72fbba7836f2377e3239337cffe6b53ee31008d8fdcc7b28',
  hangul: 'sha256:8a47311db7d288fca31c02f8ddea84fbbe7d23eb703ce47f32b6cfc157531f84',
}

/** Digests of the start files in `model/rows`, which name the pieces by digest. */
export const START_DIGESTS: Readonly<Record<Part, string>> = {
  latin: 'sha256:eba4d9f129607feb6c7eb6c28717a25356f94a9d3dbd7394ea69fe7278de3479',
  european: 'sha256:0f274cdba8b4a2a1d050ebfbc32086f566fb0a7402ce5f972c9b6f6f696c9116',
  cyrillic: 'sha256:965d6ed7ba8a634bd491bc39e29bee26d62001ef5bfb6e2887e4ad0a6480df83',
  han: 'sha256:be3828c47191ea111520b086b6fab9c8a6f287f64b4d575ce4a8b555de335b81',
  kana: 'sha256:516cead681c4d19d63cc4704c763f73286ef6cd0e8ade690c15e7fc6b9ecc189',
  hangul: 'sha256:bbd04ac54325a51078f01de09dd6c54952fd3f37bd213e32e5bbec0b1a1d2120',
}
