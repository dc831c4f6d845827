export { skillTools } from '../../adapters/langchain.js'
