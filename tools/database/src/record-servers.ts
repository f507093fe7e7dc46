import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packServers } from '@merchant-payments/testing/released-servers'

const USAGE = `Usage: release:servers <release, such as 0.1> [checkout]
  Packs the servers of an installed checkout, by default of this one, into packages/db/releases.`

const root = fileURLToPath(new URL('../../../', import.meta.url))
const [release = '', checkout = root, ...more] = process.argv.slice(2)
if (/^\d+\.\d+[\w.-]*$/.test(release) && more.length === 0) await record()
else {
  console.error(USAGE)
  process.exitCode = 2
}

async function record(): Promise<void> {
  const packed = await packServers(resolve(checkout))
  await writeFile(new URL(`../../../packages/db/releases/${release}.servers.br`, import.meta.url), packed)
  console.log(`the servers of ${release}: ${Math.round(packed.byteLength / 1_024)} KiB`)
}
