/** Keeps the bundled model from joining by itself, so that results do not depend on when it is loaded. */
import { joining } from '../src/library/join-model.js'

joining.byDefault = false
