/** Opens libraries without the bundled model, so that results do not depend on when it is loaded. `vi.unmock` brings it back. */
import { vi } from 'vitest'

vi.mock('../src/library/default-model.js', () => ({ HAS_DEFAULT_MODEL: false }))
