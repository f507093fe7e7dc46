import { writeFileSync } from 'node:fs'
import { guideFiles, inRepository } from './files.ts'

// `pnpm guides`: writes the guides that a test compares.
for (const [path, text] of Object.entries(guideFiles)) writeFileSync(inRepository(path), text())
