import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Bench } from '../bench.ts'
import { type Figure, figureOf } from '../figure.ts'
import { entryOf } from '../peers/built.ts'
import { type Contestant, interleave } from '../rounds.ts'

const run = promisify(execFile)
const verifications = new URL('../peers/verifications.ts', import.meta.url)

/**
 * Measures verifying and parsing a webhook, on this Node and on the releases that were asked for. stripe-node's
 * constructEvent gets the same bytes and signature; standardwebhooks gets the same bytes and a signature of its own.
 */
export async function measureVerifier({
  plan,
  nodes,
  system: { folder },
}: Pick<Bench, 'plan' | 'nodes' | 'system'>): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const release of nodes.length === 0 ? [null] : nodes) {
    const [node, program] =
      release === null
        ? [process.execPath, fileURLToPath(verifications)]
        : [await nodeOf(release), await strippedIn(folder)]
    const verify = (name: string, url: string) => timeOf(node, program, name, url, plan.verificationsPerRound)
    const { ours, stripe, standard } = await interleave(
      {
        ours: verify('ours', entryOf('@merchant-payments/webhook-verifier', 'index-node')),
        stripe: verify('stripe', import.meta.resolve('stripe')),
        standard: verify('standard', import.meta.resolve('standardwebhooks')),
      },
      { rounds: plan.rounds, durationMs: plan.roundMs },
    )
    const where = release === null ? '' : `, Node ${release}`
    figures.push(
      figureOf({
        name: `verify a webhook / stripe-node${where}`,
        unit: 'us',
        ours,
        peer: stripe,
        target: { ratioMin: 1 },
      }),
      figureOf({
        name: `verify a webhook / standardwebhooks${where}`,
        unit: 'us',
        ours,
        peer: standard,
        target: { ratioMin: 2.5 },
      }),
    )
  }
  return figures
}

/** The measuring program without its types, which Node 20 cannot strip. */
async function strippedIn(folder: string): Promise<string> {
  const program = join(folder, 'verifications.mjs')
  await writeFile(program, stripTypeScriptTypes(await readFile(verifications, 'utf8')))
  return program
}

/** The program of a release of Node, such as 20, which npm downloads. */
async function nodeOf(release: string): Promise<string> {
  const args = ['--yes', '--package', `node@${release}`, '--', 'node', '-p', 'process.execPath']
  return (await run('npx', args)).stdout.trim()
}

/** Runs each round in a new process, so that no contestant collects the garbage of another. */
const timeOf =
  (node: string, program: string, name: string, url: string, times: number): Contestant =>
  async () => {
    const { stdout } = await run(node, [program, name, url, String(times)])
    return Number(stdout)
  }
