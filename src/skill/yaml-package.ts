/** The used part of the `yaml` package, so that bundlers leave the rest out. */
export {
  Composer,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  Parser,
  YAMLMap,
} from 'yaml'
