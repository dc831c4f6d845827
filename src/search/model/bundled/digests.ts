import type { Part } from '../script-parts.js'

/** Digests of the files of the bundled model. Written by `npm run train`. */
export const DIGESTS: Readonly<Record<Part, string>> = {
  latin: 'sha256:feb6ece5eb0a1de819ceab72dd40787f3a9f648f042a80456b88166357127a89',
  european: 'sha256:b5c8aabfee9ff19f0f60c3a16158998e99bcc8f86216f346c16751b4d4e2f5e5',
  cyrillic: 'sha256:fb7da90a4db628c6ebd033c0d5a6e3c2818e10b88edf0f6d36e648db8ca88ff4',
  han: 'sha256:4b457f565a637eececd4ef2c68cb6e32b70d245864185d704056066e11afae2a',
  kana: 'sha256:bcf4552310b70b756036f4f54643acea85359e708a4ba16fdd17d199b454ed82',
  hangul: 'sha256:26dceebfc9c62cdd41bb30ec1c94e7aedc0e1cda65f15ee6ac168976d651a7d3',
}
