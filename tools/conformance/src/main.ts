import { writeFile } from 'node:fs/promises'
import { chapters } from './chapters/index.ts'
import { findFaults } from './check.ts'
import { renderConformance } from './render.ts'
import { renderThreatModel, threatSentences } from './threats/render.ts'

const faults = await findFaults([...chapters.flatMap(({ sentences }) => sentences), ...threatSentences()])
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1
else {
  await writeFile(new URL('../../../docs/conformance.md', import.meta.url), renderConformance())
  await writeFile(new URL('../../../docs/threat-model.md', import.meta.url), renderThreatModel())
}
