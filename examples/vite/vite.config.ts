import { skillshelf } from 'skillshelf/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  // The built page works in any folder of any host.
  base: './',
  plugins: [skillshelf({ dir: '../skills' })],
})
