import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { dashboardShell } from './build/dashboard-shell.ts'

/** Browsers of the last two years, since staff keep theirs up to date. */
const OLDEST_BROWSERS = ['chrome124', 'firefox125', 'safari17.5']

export default defineConfig({
  base: '/dash/',
  plugins: [react(), dashboardShell()],
  build: {
    target: OLDEST_BROWSERS,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    sourcemap: false,
  },
})
