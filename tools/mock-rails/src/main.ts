import { parseArgs } from 'node:util'
import { fromWire } from './control/wire-case.ts'
import { settingsPatchSchema } from './settings.ts'
import { startMockRails } from './start.ts'

const { values } = parseArgs({
  options: {
    'wire-port': { type: 'string', default: '0' },
    'control-port': { type: 'string', default: '0' },
    settings: { type: 'string', default: '{}' },
  },
})

const rails = await startMockRails({
  wirePort: portOf(values['wire-port']),
  controlPort: portOf(values['control-port']),
  settings: settingsPatchSchema.parse(fromWire(JSON.parse(values.settings))),
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void rails.stop())

console.log(JSON.stringify({ wire_url: rails.wireUrl, control_url: rails.controlUrl }))

function portOf(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new Error('a port is a whole number from 0 to 65535')
}
