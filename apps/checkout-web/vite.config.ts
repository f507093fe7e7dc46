import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { checkoutShell } from './build/checkout-shell.ts'

/** Phones that no longer get updates. */
const OLDEST_BROWSERS = ['chrome80', 'firefox78', 'safari14']

export default defineConfig({
  base: '/c/',
  plugins: [react(), checkoutShell()],
  build: {
    target: OLDEST_BROWSERS,
    modulePreload: false,
    assetsInlineLimit: 0,
    sourcemap: false,
  },
})
