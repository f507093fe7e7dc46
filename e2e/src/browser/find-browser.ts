export interface Machine {
  readonly named: string | undefined
  readonly find: (program: string) => Promise<string | null>
  readonly isRoot: boolean
  readonly run: (command: string, args: readonly string[]) => Promise<boolean>
  /** The path of Playwright's own browser, if it is installed. */
  readonly findDownloaded: () => Promise<string | null>
}

/** The shell comes first: without the browser around its pages, Chromium takes two thirds of the processor's time. */
const programs = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
] as const

/** Without a font, pages show boxes instead of letters. */
const debianPackages = ['chromium-headless-shell', 'fonts-dejavu-core'] as const

/**
 * Finds a Chromium for tests: an installed one, else Debian's, else Playwright's.
 *
 * @throws with what is missing
 */
export async function findBrowser(machine: Machine): Promise<string> {
  const there = machine.named ?? (await findInstalled(machine))
  const browser = there ?? (await installDebian(machine)) ?? (await download(machine))
  if (browser !== null) return browser
  throw new Error(
    [
      'The browser tests need Chrome or Chromium, and none could be found or fetched.',
      `Looked for ${programs.join(', ')} on the PATH.`,
      machine.isRoot ? 'apt-get could not install it.' : 'Not root, so apt-get was not tried.',
      'Playwright could not download its own.',
      'Install one, or name its path in CHROMIUM_PATH.',
    ].join('\n  '),
  )
}

async function findInstalled({ find }: Machine): Promise<string | null> {
  for (const program of programs) {
    const path = await find(program)
    if (path !== null) return path
  }
  return null
}

async function installDebian(machine: Machine): Promise<string | null> {
  if (!machine.isRoot || (await machine.find('apt-get')) === null) return null
  await machine.run('apt-get', ['update'])
  const args = ['install', '--yes', '--no-install-recommends', ...debianPackages]
  return (await machine.run('apt-get', args)) ? findInstalled(machine) : null
}

async function download(machine: Machine): Promise<string | null> {
  const downloaded = await machine.findDownloaded()
  if (downloaded !== null) return downloaded
  return (await machine.run('playwright', ['install', 'chromium'])) ? machine.findDownloaded() : null
}
