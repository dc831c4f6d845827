import { defineConfig } from 'vite'

// The built page works in any folder of any host.
export default defineConfig({ base: './' })
