/**
 * An object with the members of both; those of `members` win. Members of `base` run on `base` itself, because a class may have private
 * fields.
 */
export function extendObject<Base extends object, Members extends object>(
  base: Base,
  members: Members,
): Base & Members {
  const extended = { ...members }
  for (
    let object: object = base;
    object !== Object.prototype && object;
    object = Object.getPrototypeOf(object)
  ) {
    for (const key of Reflect.ownKeys(object)) {
      if (key in extended) continue
      Object.defineProperty(extended, key, {
        enumerable: true,
        get() {
          const value: unknown = Reflect.get(base, key)
          return typeof value === 'function' ? value.bind(base) : value
        },
      })
    }
  }
  return extended as Base & Members
}
