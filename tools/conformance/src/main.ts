import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { findRefFaults, findTagFaults } from './check.ts'
import { tryMutations } from './mutate.ts'
import { mutations } from './mutations.ts'
import { renderConformance } from './render.ts'
import { chapters, gaps } from './sections.ts'
import { findTags } from './tagged.ts'
import { heldThreats, renderThreatModel } from './threats/render.ts'

const { values } = parseArgs({ options: { mutate: { type: 'boolean', default: false } } })
const tags = await findTags()
const faults = values.mutate
  ? await mutate()
  : [...findTagFaults(chapters, gaps, tags), ...(await findRefFaults(heldThreats()))]
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1
else if (!values.mutate) {
  await writeFile(new URL('../../../docs/conformance.md', import.meta.url), renderConformance(tags.tagged))
  await writeFile(new URL('../../../docs/threat-model.md', import.meta.url), renderThreatModel())
}

/** An interruption stops the run that is under way, and removes the copy before the process ends. */
async function mutate(): Promise<string[]> {
  const interruption = new AbortController()
  const interrupt = () => interruption.abort(new Error('interrupted'))
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    return await tryMutations(mutations, interruption.signal, (line) => console.log(line))
  } catch (error) {
    if (!interruption.signal.aborted) throw error
    return ['interrupted']
  }
}
