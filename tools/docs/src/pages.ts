/** The four kinds of documentation: learning, doing, looking up, understanding. */
export type Kind = 'tutorial' | 'how-to' | 'reference' | 'explanation'

/** Who reads a page. */
type Reader = 'merchants' | 'operators' | 'contributors'

/** A Markdown file of the repository, as a page of the site. */
export interface Page {
  readonly source: string
  /** The address on the site, without an extension. */
  readonly path: string
  /** In the sidebar. */
  readonly title: string
  readonly kind: Kind
  readonly reader: Reader
  readonly language?: 'fr'
  /** Headings of the page that the sidebar names too, by their kind. */
  readonly parts?: readonly { readonly title: string; readonly heading: string; readonly kind: Kind }[]
}

const guide = (name: string, title: string, kind: Kind): Page => ({
  source: `docs/guides/${name}.md`,
  path: `guides/${name}`,
  title,
  kind,
  reader: 'merchants',
})

const french = (name: string, title: string, kind: Kind): Page => ({
  source: `docs/guides/fr/${name}.md`,
  path: `fr/${name}`,
  title,
  kind,
  reader: 'merchants',
  language: 'fr',
})

const readme = (folder: string, title: string, kind: Kind, reader: Reader): Page => ({
  source: `${folder}/README.md`,
  path: `${kind}/${folder.slice(folder.lastIndexOf('/') + 1)}`,
  title,
  kind,
  reader,
})

const howTo = (title: string, heading = title) => ({ title, heading, kind: 'how-to' as const })
const lookUp = (title: string, heading = title) => ({ title, heading, kind: 'reference' as const })

/** docs/operations.md is one page, whose runbooks are how-tos. */
const operations: Page = {
  source: 'docs/operations.md',
  path: 'operations',
  title: 'Operations',
  kind: 'reference',
  reader: 'operators',
  parts: [
    howTo('Deploy'),
    howTo('Add a merchant'),
    howTo('Back up', 'Backups'),
    howTo('Restore'),
    howTo('Rotate a secret'),
    howTo("Rotate a merchant's key"),
    howTo('Upgrade'),
    howTo('Roll back'),
    howTo('Scale out'),
    howTo('Fail over'),
    howTo('Overload'),
    howTo('Answer an alert', 'Runbooks'),
    lookUp('Log lines'),
    lookUp('Metrics'),
    lookUp('Alert lines'),
    lookUp('Migrations'),
    lookUp('Database roles'),
    lookUp('Staff'),
  ],
}

/** Every page that is a file of the repository, in the order of the sidebar. Decisions follow by themselves. */
export const pages: readonly Page[] = [
  guide('take-your-first-payment', 'Take your first payment', 'tutorial'),
  readme('examples/shop', 'A shop with a page of its own', 'tutorial', 'merchants'),
  guide('coming-from-stripe', 'Coming from Stripe', 'how-to'),
  guide('testing', 'Testing', 'how-to'),
  guide('going-live', 'Going live', 'how-to'),
  {
    source: 'docs/recipes.md',
    path: 'guides/recipes',
    title: 'Recipes for frameworks',
    kind: 'how-to',
    reader: 'merchants',
  },
  { ...guide('first-deployment', 'Your first deployment', 'tutorial'), reader: 'operators' },
  operations,
  {
    source: 'docs/stuck-money.md',
    path: 'stuck-money',
    title: 'Stuck money',
    kind: 'how-to',
    reader: 'operators',
  },
  {
    source: 'CONTRIBUTING.md',
    path: 'how-to/contribute',
    title: 'Contribute',
    kind: 'how-to',
    reader: 'contributors',
  },
  guide('events', 'Events', 'reference'),
  guide('declines', 'Declines', 'reference'),
  { source: 'docs/errors.md', path: 'errors', title: 'Errors', kind: 'reference', reader: 'merchants' },
  readme('packages/node-sdk', 'Node SDK', 'reference', 'merchants'),
  readme('packages/payer-client', 'Payer client', 'reference', 'merchants'),
  readme('packages/webhook-verifier', 'Webhook verifier', 'reference', 'merchants'),
  readme('tools/cli', 'Command line', 'reference', 'merchants'),
  {
    source: 'docs/sdk-comparison.md',
    path: 'reference/sdk-comparison',
    title: 'The SDK beside others',
    kind: 'reference',
    reader: 'merchants',
  },
  {
    source: 'docs/configuration.md',
    path: 'configuration',
    title: 'Configuration',
    kind: 'reference',
    reader: 'operators',
  },
  readme('tools/mock-rails', 'Mock rails', 'reference', 'contributors'),
  readme('tools/stack', 'The development system', 'reference', 'contributors'),
  readme('apps/checkout-web', 'Checkout page', 'reference', 'contributors'),
  readme('apps/dashboard', 'Dashboard', 'reference', 'contributors'),
  readme('bench', 'Benchmark', 'reference', 'contributors'),
  {
    source: 'docs/spec-gaps.md',
    path: 'reference/spec-gaps',
    title: 'What the specification leaves open',
    kind: 'reference',
    reader: 'contributors',
  },
  {
    source: 'docs/conformance.md',
    path: 'reference/conformance',
    title: 'Conformance',
    kind: 'reference',
    reader: 'contributors',
  },
  {
    source: 'docs/dashboard-tasks.md',
    path: 'reference/dashboard-tasks',
    title: 'Tasks of a shift',
    kind: 'reference',
    reader: 'operators',
  },
  {
    source: 'docs/capacity.md',
    path: 'capacity',
    title: 'Capacity',
    kind: 'explanation',
    reader: 'operators',
  },
  {
    source: 'docs/security-model.md',
    path: 'security-model',
    title: 'Security model',
    kind: 'explanation',
    reader: 'operators',
  },
  {
    source: 'docs/threat-model.md',
    path: 'explanation/threat-model',
    title: 'Threat model',
    kind: 'explanation',
    reader: 'operators',
  },
  {
    source: 'SECURITY.md',
    path: 'explanation/security',
    title: 'Report a vulnerability',
    kind: 'explanation',
    reader: 'operators',
  },
  {
    source: 'ARCHITECTURE.md',
    path: 'architecture',
    title: 'Architecture',
    kind: 'explanation',
    reader: 'contributors',
  },
  {
    source: 'README.md',
    path: 'explanation/repository',
    title: 'The repository',
    kind: 'explanation',
    reader: 'contributors',
  },
  {
    source: 'docs/decisions/README.md',
    path: 'decisions/overview',
    title: 'Decisions',
    kind: 'explanation',
    reader: 'contributors',
  },
  french('premier-paiement', 'Encaisser un premier paiement', 'tutorial'),
  french('mise-en-production', 'Mise en production', 'how-to'),
  french('refus', 'Refus', 'reference'),
]
