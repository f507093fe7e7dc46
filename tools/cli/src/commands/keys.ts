import { join } from 'node:path'
import { Command } from 'commander'
import { createKeyPair } from '../key-pair.ts'
import { refuseExisting, writeNew } from '../new-file.ts'
import { outputOf } from '../output.ts'

interface Flags {
  readonly out: string
  readonly name: string
  readonly kid?: string
}

export const keysCommand = (): Command =>
  new Command('keys')
    .description('Keys of a merchant, or of the service.')
    .addCommand(
      new Command('create')
        .description('Makes an RSA key pair, and writes it as PEM and as JWK.')
        .option('--out <folder>', 'the folder of the files', '.')
        .option('--name <name>', 'what their names begin with', 'merchant')
        .option('--kid <kid>', 'the id of the key (default: its RFC 7638 thumbprint)')
        .action(createKeys),
    )

async function createKeys({ out, name, kid }: Flags, command: Command): Promise<void> {
  const files = {
    private_pem: join(out, `${name}-private.pem`),
    private_jwk: join(out, `${name}-private.jwk.json`),
    public_jwk: join(out, `${name}-public.jwk.json`),
  }
  await refuseExisting(Object.values(files))
  const pair = await createKeyPair(kid)
  await writeNew(files.private_pem, pair.privatePem, { isSecret: true })
  await writeNew(files.private_jwk, `${JSON.stringify(pair.privateJwk, null, 2)}\n`, { isSecret: true })
  await writeNew(files.public_jwk, `${JSON.stringify(pair.publicJwk, null, 2)}\n`, { isSecret: false })
  await outputOf(command).print({ kid: pair.kid, files, public_jwk: pair.publicJwk }, [
    `kid: ${pair.kid}`,
    `private: ${files.private_pem}, or the same key as JWK: ${files.private_jwk}. Keep them secret.`,
    `public:  ${files.public_jwk}. Give it to the operator of the service.`,
  ])
}
