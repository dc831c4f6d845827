import type { Part } from '../script-parts.js'

/** Digests of the files of the bundled model. Written by `npm run train`. */
export const DIGESTS: Readonly<Record<Part, string>> = {
  latin: 'sha256:4f70259e16db2916c87b1aedc4a7e663431f29c74615aaf9f9d841fe8b45890e',
  european: 'sha256:f6d9f5d3d766c1007d2a63e568983727fd3ff27d338801831c81e4a551ba2c84',
  cyrillic: 'sha256:0332aa141e300a8545792ee44c7635f2adf4fd6c0abc9b670e38d23819e0a343',
  han: 'sha256:87e7a68a9c0373a0834acc1d96b7cf3e90d006b7d40e2ea4beafc88eb151dded',
  kana: 'sha256:7304075664cc1c325feb2f5bc6bb61eeeb55df4c8428b63a75f6eb961d9d0deb',
  hangul: 'sha256:022a54728964fcff12cbc692ffe6719ce68c19554a2c9b3d32e2b3101575fbae',
}
