import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, type Locator, type Page } from '@playwright/test'

const file = fileURLToPath(new URL('../../../docs/dashboard-tasks.md', import.meta.url))

/** A person at work. Each press of a key that does something, each click and each text is a step. */
export interface Person {
  readonly click: (what: Locator) => Promise<void>
  /** A shortcut of one or two keys. */
  readonly press: (...keys: readonly string[]) => Promise<void>
  /** Types or pastes a text, and presses Enter. */
  readonly enter: (field: Locator, text: string) => Promise<void>
  /** Types a text into a field of a form. */
  readonly fill: (field: Locator, text: string) => Promise<void>
  readonly choose: (field: Locator, option: string) => Promise<void>
  /** Chooses a file. */
  readonly give: (
    field: Locator,
    file: Exclude<Parameters<Locator['setInputFiles']>[0], string>,
  ) => Promise<void>
  readonly steps: () => number
}

export function personAt(page: Page): Person {
  let steps = 0
  const step = async (work: Promise<unknown>) => {
    steps += 1
    await work
  }
  return {
    click: (what) => step(what.click()),
    press: (...keys) =>
      step(keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve())),
    enter: (field, text) => step(field.fill(text).then(() => field.press('Enter'))),
    fill: (field, text) => step(field.fill(text)),
    choose: (field, option) => step(field.selectOption(option)),
    give: (field, file) => step(field.setInputFiles(file)),
    steps: () => steps,
  }
}

export const rowsOf = (page: Page, name: string): Locator =>
  page.getByRole('region', { name }).locator('tbody tr')

/** The identity provider’s page has a heading too, and would get the first key. */
export const arrived = (page: Page): Promise<void> => page.getByRole('button', { name: /^Find…/ }).waitFor()

/** Opens the search with its key and looks for a text. */
export async function search(page: Page, person: Person, text: string): Promise<void> {
  await person.press('/')
  await person.enter(page.getByRole('dialog', { name: 'Find' }).getByRole('textbox'), text)
}

/** Compares the steps with the line of the task in docs/dashboard-tasks.md. `TASKS=1` writes them there. */
export function expectSteps(task: string, person: Person): void {
  const page = readFileSync(file, 'utf8')
  const line = `| ${task} | ${person.steps()} |`
  if (process.env['TASKS'] !== undefined) {
    const known = page.split('\n').findIndex((one) => one.startsWith(`| ${task} | `))
    const lines = page.trimEnd().split('\n')
    if (known === -1) lines.push(line)
    else lines[known] = line
    writeFileSync(file, `${lines.join('\n')}\n`)
  }
  expect(readFileSync(file, 'utf8').split('\n'), 'TASKS=1 writes the steps').toContain(line)
}
