import { writeFileSync } from 'node:fs'
import { made, madeFiles } from './made.ts'

// `pnpm openapi`: writes the files that a test compares.
for (const [path, text] of Object.entries(madeFiles)) writeFileSync(made(path), text())
