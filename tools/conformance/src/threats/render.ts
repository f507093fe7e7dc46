import type { Held } from '../check.ts'
import { cell } from '../table.ts'
import { assets } from './index.ts'
import type { Asset, Threat } from './threat.ts'

const head = `# Threat model

What somebody could do to each asset, what holds it, and the tests that would fail if it did not: a file and a part of a test's
name. \`npx pnpm@12 conformance\` writes this page from \`tools/conformance/src/threats\`, and fails when a test that it
names is gone. \`npx pnpm@12 run test:attacks\` runs them all. How to report a fault is in [SECURITY.md](../SECURITY.md).

The service trusts its configuration, its database and the operators of both. It believes a rail's answer to a question of
its own, over TLS, and nothing that anybody sends by himself. It trusts the identity provider to say who a staff member is.
`

const tail = `## What is accepted

- **A token with the reading scope reads \`client_secret\`**, and whoever has that can start a prompt on a phone. The
  specification says "present on create and retrieve". A prompt takes no money without the payer's own approval.
- **A payer's link is a bearer secret.** Whoever has it sees the payment, its metadata included, and can try to pay it.
- **An operator of the database can change any row.** The chain of audit entries shows it afterwards and does not prevent it.
- **A rail that says that it was paid is believed.** Its statement is compared by whoever reconciles, not by this service.
`

/** Each threat with the tests that must be there. */
export const heldThreats = (): Held[] =>
  assets.flatMap(({ threats }) => threats.map(({ threat, tests }) => ({ says: threat, tests })))

/** docs/threat-model.md */
export const renderThreatModel = (): string => [head, ...assets.map(assetText), tail].join('\n')

const assetText = ({ title, threats }: Asset): string =>
  [
    `## ${title}\n`,
    '| who | what could happen | what holds it | tests |',
    '| --- | --- | --- | --- |',
    ...threats.map(row),
    '',
  ].join('\n')

const row = ({ actor, threat, heldBy, tests }: Threat): string =>
  `| ${actor} | ${threat} | ${heldBy} | ${tests.map(({ file, name }) => `\`${file}\`: ${cell(name)}`).join('<br>')} |`
