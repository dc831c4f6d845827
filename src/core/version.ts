/** Version of this package, as in package.json. A test compares them. */
export const VERSION = '0.3.0'
