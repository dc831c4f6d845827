import { describe } from 'vitest'
import { agentsCases } from '../workerd/agents-cases.js'

describe('[CARD-1] [AC-5] [TD-11] cloudflare/agents', agentsCases)
