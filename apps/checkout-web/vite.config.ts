import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { checkoutShell } from './build/checkout-shell.ts'
import { plainImports } from './build/plain-imports.ts'
import { splitLanguages } from './build/split-languages.ts'

/** Phones that no longer get updates. */
const OLDEST_BROWSERS = ['chrome80', 'firefox78', 'safari14']

/**
 * React's compatible smaller runtime: 8 kB in place of 58. Tests of the sources run on React; the browser
 * stories run on this build.
 */
const SMALLER_RUNTIME = { react: 'preact/compat', 'react-dom': 'preact/compat' }

export default defineConfig({
  base: '/c/',
  resolve: { alias: SMALLER_RUNTIME },
  plugins: [splitLanguages(), react(), plainImports(), checkoutShell(OLDEST_BROWSERS)],
  build: {
    target: OLDEST_BROWSERS,
    modulePreload: false,
    assetsInlineLimit: 0,
    sourcemap: false,
    rolldownOptions: {
      input: ['index.html', 'src/main.tsx'],
      // The starter is built separately and imports from the main script.
      preserveEntrySignatures: 'allow-extension',
    },
  },
})
