import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import type { ResolvedAddress } from './resolve.ts'

const HOSTS_FILE = '/etc/hosts'

/** The addresses that the file has for a name now. Without a readable file, no name has any. */
export async function readHostsFile(host: string): Promise<readonly ResolvedAddress[]> {
  return addressesIn(await readFile(HOSTS_FILE, 'utf8').catch(() => ''), host)
}

export function addressesIn(file: string, host: string): readonly ResolvedAddress[] {
  const wanted = host.toLowerCase().replace(/\.$/, '')
  return file.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').toLowerCase().trim().split(/\s+/)
    const family = isIP(address)
    return family !== 0 && names.includes(wanted) ? [{ address, family }] : []
  })
}
