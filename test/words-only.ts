/** Opens libraries without the bundled model, so that results do not depend on when it is loaded. */
import { vi } from 'vitest'

vi.mock('../src/library/model/default-model.js', () => ({ defaultModel: vi.fn(() => undefined) }))
