import { fileURLToPath } from 'node:url'
import {
  createControlClient,
  type MockRailsControl,
  type SettingsPatch,
  startMockRails,
} from '@merchant-payments/mock-rails'
import { startChild } from './child.ts'

export interface OpenMockRails {
  readonly wireUrl: string
  readonly controlUrl: string
  readonly control: MockRailsControl
  readonly stop: () => Promise<void>
}

interface MockRailsOptions {
  readonly wirePort: number
  readonly controlPort: number
  readonly settings: SettingsPatch
  readonly inOwnProcess: boolean
  readonly onLine: (line: string) => void
  readonly signal: AbortSignal | undefined
}

const main = fileURLToPath(new URL('../../mock-rails/src/main.ts', import.meta.url))

export async function openMockRails(options: MockRailsOptions): Promise<OpenMockRails> {
  const { wirePort, controlPort, settings, inOwnProcess, onLine, signal } = options
  if (!inOwnProcess) return startMockRails({ wirePort, controlPort, settings })
  const flags = {
    'wire-port': String(wirePort),
    'control-port': String(controlPort),
    settings: JSON.stringify(toWire(settings)),
  }
  const child = await startChild({
    name: 'mock rails',
    program: main,
    args: Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
    env: {},
    isReadyLine: (line) => line.includes('control_url'),
    readyUrl: null,
    onLine,
    signal,
  })
  const controlUrl = `http://127.0.0.1:${controlPort}`
  const wireUrl = `http://127.0.0.1:${wirePort}`
  return { wireUrl, controlUrl, control: createControlClient(controlUrl), stop: () => child.stop() }
}

const toWire = (settings: SettingsPatch) =>
  Object.fromEntries(Object.entries(settings).map(([rail, patch]) => [rail, snakeCaseKeys(patch)]))

const snakeCaseKeys = (patch: object = {}) =>
  Object.fromEntries(Object.entries(patch).map(([name, value]) => [snakeCase(name), value]))

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
