import type { Part } from '../parts.js'

/** Digests of the files of the bundled model. Written by `npm run train`. */
export const DIGESTS: Readonly<Record<Part, string>> = {
  latin: 'sha256:70f93f80718dbfb8f7e00aae03ef1fdcaa62d01f10b4e2f1f76672f493a7a425',
  european: 'sha256:01c899aa1f032adbcd206e8cd55443e0b7991040bcb28fe2eb667bd552bf54e4',
  cyrillic: 'sha256:60df96304fac8a91441c5a339f913ae547eaa1926f60ba38e26136b571fc833e',
  han: 'sha256:f60dbb09ca9d81d23274d108a784d2a5690c3d0d285cbc70d06ee9cc57396ab7',
  kana: 'sha256:ccb7fbe7e2acc327659738ee9c166c4bc3fce4ceffb349644ebfa49d0e36b707',
  hangul: 'sha256:f1a5e0a84ba9e8feb39be36a4de030b9d0f0468f17cbb72fba25366e4e45c7c8',
}
