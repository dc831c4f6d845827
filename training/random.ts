export { randomFrom } from '../bench/random.js'
