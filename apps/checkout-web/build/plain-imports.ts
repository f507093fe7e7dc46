import type { Plugin } from 'vite'

/** Vite wraps each dynamic import, to load its styles and preload its chunks first. This page has neither. */
export const plainImports = (): Plugin => ({
  name: 'plain-imports',
  apply: 'build',
  enforce: 'pre',
  load: (id) =>
    id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load()' : undefined,
})
