const PAGE = 65_536

/**
 * Creates a memory of at least `bytes`, and the functions of a module over it; `undefined` where WebAssembly or SIMD is missing, or a policy
 * forbids it. Callers then use a plain loop.
 * @param compile From `#kernel/*`.
 */
export function openWasm<Functions>(
  compile: () => WebAssembly.Module,
  bytes: number,
): { memory: ArrayBuffer; functions: Functions } | undefined {
  try {
    const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) })
    const { exports } = new WebAssembly.Instance(compile(), { env: { memory } })
    return { memory: memory.buffer, functions: exports as unknown as Functions }
  } catch {
    return undefined
  }
}
