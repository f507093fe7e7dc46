import { writeFileSync } from 'node:fs'
import { configurationFiles, inRepository } from './files.ts'

// `pnpm configuration`: writes the files that a test compares.
for (const [path, text] of Object.entries(configurationFiles)) writeFileSync(inRepository(path), text())
