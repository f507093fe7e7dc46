import { describe, expect, test } from 'vitest'
import { classify } from './classify.ts'

const refused = `
0.0.0.0 0.255.255.255 127.0.0.1 127.255.255.254 10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1
169.254.0.1 169.254.169.254 100.64.0.1 100.100.100.200 100.127.255.255 192.0.0.1 192.0.0.170 192.0.0.171 192.0.0.192
192.0.2.1 198.51.100.1 203.0.113.1 192.88.99.1 198.18.0.1 198.19.255.255 224.0.0.1 239.255.255.255 240.0.0.1
255.255.255.255 168.63.129.16
:: ::1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:168.63.129.16 ::127.0.0.1 ::7f00:1 ::ffff:0:127.0.0.1
64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b::a83f:8110 64:ff9b:1::1 64:ff9b:1::808:808 2002:7f00:1:: 2002:a9fe:a9fe::
2002:808:808:: 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:db8::1 2001:10::1 2001:20::1 3fff::1 5f00::1 100::1
fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 febf::1 fec0::1 ff00::1 ff02::1 4000::1 e000::1
`

const accepted = `
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1 169.253.255.255
172.15.255.255 172.32.0.1 192.167.255.255 192.169.0.1 198.17.255.255 198.20.0.1 223.255.255.255
2606:4700:4700::1111 2a00:1450:4007::200e ::ffff:8.8.8.8 ::ffff:808:808 64:ff9b::808:808
`

const unreadable = [
  '',
  'localhost',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '8.8.8.8 ',
  '[::1]',
  '8.8.8.8/8',
]

const listed = (text: string) => text.trim().split(/\s+/)

describe('an address is refused if it is not public [§6.3.10]', () => {
  test.each(listed(refused))('%s', (address) => {
    expect(classify(address)).toBe('non_public')
  })
})

describe('a public address is accepted, also next to a refused range', () => {
  test.each(listed(accepted))('%s', (address) => {
    expect(classify(address)).toBe('public')
  })
})

describe('text that is not a plain address is refused', () => {
  test.each(unreadable)('"%s"', (address) => {
    expect(classify(address)).toBe('non_public')
  })
})
