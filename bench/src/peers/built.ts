import { existsSync } from 'node:fs'

/** Whether a package is built, by `npx pnpm@12 turbo run build`. */
export const isBuilt = (name: string): boolean => existsSync(builtUrl(name, 'index-node'))

/**
 * The URL of an entry of a package as a merchant installs it. If the package is not built, it is that of the source, which
 * only newer versions of Node run.
 */
export const entryOf = (name: string, entry: string): string =>
  isBuilt(name) ? builtUrl(name, entry).href : new URL(`${entry}.ts`, import.meta.resolve(name)).href

const builtUrl = (name: string, entry: string): URL =>
  new URL(`../dist/${entry}.mjs`, import.meta.resolve(name))
