import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A self-signed certificate for these names with its key, as haproxy reads them from one file. */
export async function makeCertificate(folder: string, names = 'DNS:localhost'): Promise<string> {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', `subjectAltName=${names}`]
  const output = ['-keyout', key, '-out', certificate]
  await promisify(execFile)('openssl', ['req', '-x509', '-nodes', ...subject, ...output])
  const both = join(folder, 'both.pem')
  await writeFile(both, (await readFile(certificate, 'utf8')) + (await readFile(key, 'utf8')))
  return both
}
