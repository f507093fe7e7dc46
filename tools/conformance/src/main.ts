import { writeFile } from 'node:fs/promises'
import { chapters } from './chapters/index.ts'
import { findFaults } from './check.ts'
import { renderConformance } from './render.ts'

const faults = await findFaults(chapters.flatMap(({ sentences }) => sentences))
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1
else await writeFile(new URL('../../../docs/conformance.md', import.meta.url), renderConformance())
