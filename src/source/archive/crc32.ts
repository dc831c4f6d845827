const TABLE = /* @__PURE__ */ Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value
})

/** The CRC-32 checksum of zip and gzip. `previous` is the checksum of the preceding bytes. */
export function crc32(bytes: Uint8Array, previous = 0): number {
  let value = ~previous
  for (let index = 0; index < bytes.length; index++)
    value = (TABLE[(value ^ (bytes[index] as number)) & 0xff] as number) ^ (value >>> 8)
  return ~value >>> 0
}
