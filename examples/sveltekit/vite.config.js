import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'

// Pre-bundling would move modules away from the files of the model.
export default defineConfig({ plugins: [sveltekit()], optimizeDeps: { exclude: ['skillshelf'] } })
