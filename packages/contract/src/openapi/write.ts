import { writeFileSync } from 'node:fs'
import { documents } from './documents.ts'

// `pnpm openapi`: writes what a test compares.
for (const [name, document] of Object.entries(documents)) {
  const file = new URL(`../../openapi/${name}.json`, import.meta.url)
  writeFileSync(file, `${JSON.stringify(document(), null, 2)}\n`)
}
