const TABLE = /* @__PURE__ */ Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value
})

/** The checksum of zip and gzip. To go on with more bytes, give what came out for those before. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let value = ~before
  for (let index = 0; index < bytes.length; index++)
    value = (TABLE[(value ^ (bytes[index] as number)) & 0xff] as number) ^ (value >>> 8)
  return ~value >>> 0
}
