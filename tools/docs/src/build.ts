import { fileURLToPath } from 'node:url'
import { build } from 'vitepress'
import { stage } from './stage.ts'

// `pnpm docs`: writes the site to dist/docs. Fails if a link leads nowhere.
stage(fileURLToPath(new URL('../.data/pages', import.meta.url)))
await build(fileURLToPath(new URL('..', import.meta.url)))
