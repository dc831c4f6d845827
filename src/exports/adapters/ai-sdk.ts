export { skillTools } from '../../adapters/ai-sdk.js'
