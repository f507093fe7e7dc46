import type { Plugin } from 'vite'

/** Removes Vite's wrapper of dynamic imports, which loads styles and preloads chunks. This page has neither. */
export const plainImports = (): Plugin => ({
  name: 'plain-imports',
  apply: 'build',
  enforce: 'pre',
  load: (id) =>
    id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load()' : undefined,
})
