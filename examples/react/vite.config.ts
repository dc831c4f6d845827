import { skillshelf } from 'skillshelf/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  // Relative URLs: the built page works under any path.
  base: './',
  plugins: [skillshelf({ dir: '../skills' })],
})
