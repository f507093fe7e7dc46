import { expect, test } from 'vitest'
import { findBrowser, type Machine } from './find-browser.ts'

interface Past {
  readonly programs?: readonly string[]
  readonly isRoot?: boolean
  /** The programs that appear after a command has run. */
  readonly appears?: Readonly<Record<string, string>>
  readonly named?: string
}

/** A fake machine with these programs, which records the commands. */
function machineWith({ programs = [], isRoot = false, appears = {}, named }: Past) {
  const there = new Set(programs)
  const ran: string[] = []
  const machine: Machine = {
    named,
    isRoot,
    find: async (program) => (there.has(program) ? `/usr/bin/${program}` : null),
    run: async (command, args) => {
      const line = [command, ...args].join(' ')
      ran.push(line)
      const [, appeared] = Object.entries(appears).find(([start]) => line.startsWith(start)) ?? []
      if (appeared !== undefined) there.add(appeared)
      return line === 'apt-get update' || appeared !== undefined
    },
    findDownloaded: async () => (there.has('downloaded') ? '/cache/chrome' : null),
  }
  return { machine, ran }
}

const debian = { 'apt-get install': 'chromium-headless-shell' }
const playwright = { 'playwright install': 'downloaded' }

test.each<[string, Past, string, number]>([
  ['the named one first', { named: '/opt/chrome', programs: ['chromium'] }, '/opt/chrome', 0],
  [
    'one that is there',
    { programs: ['google-chrome', 'apt-get'], isRoot: true },
    '/usr/bin/google-chrome',
    0,
  ],
  [
    'the shell before the whole browser',
    { programs: ['chromium', 'chromium-headless-shell'] },
    '/usr/bin/chromium-headless-shell',
    0,
  ],
  [
    'Debian’s, for root',
    { programs: ['apt-get'], isRoot: true, appears: debian },
    '/usr/bin/chromium-headless-shell',
    2,
  ],
  ['one downloaded before', { programs: ['downloaded'] }, '/cache/chrome', 0],
  [
    'Playwright’s, for others',
    { programs: ['apt-get'], appears: { ...debian, ...playwright } },
    '/cache/chrome',
    1,
  ],
  [
    'Playwright’s, where apt fails',
    { programs: ['apt-get'], isRoot: true, appears: playwright },
    '/cache/chrome',
    3,
  ],
])('%s', async (_name, past, browser, commands) => {
  const { machine, ran } = machineWith(past)
  expect(await findBrowser(machine)).toBe(browser)
  expect(ran).toHaveLength(commands)
})

test('without any it says what is missing, and how to name one', async () => {
  const { machine } = machineWith({ isRoot: true, programs: ['apt-get'] })
  await expect(findBrowser(machine)).rejects.toThrow(/apt-get could not install it[\s\S]*CHROMIUM_PATH/)
})
