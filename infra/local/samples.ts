/**
 * A handful of files to try the service on: text, CSV, PDF, PNG, one private, one shared, some tagged. Their ids are
 * fixed, so that examples in the documentation work.
 */
import type { FileStores } from '../../lib/complete.ts'
import type { NewFile } from '../../lib/store.ts'
import { storeFile } from '../../lib/store.ts'

/** The workspace, and the user who owns all samples but one. */
export const sampleCaller = { workspaceId: 'acme', userId: 'ana', serverId: 'reports' }

type Sample = Pick<NewFile, 'name' | 'tags' | 'shared' | 'ownerId' | 'readers'> & { bytes: Buffer }

const samples: readonly Sample[] = [
  {
    name: 'notes.txt',
    ownerId: 'ana',
    tags: ['draft'],
    bytes: Buffer.from('Call the supplier back on Monday.\nZürich, 東京 and Олесь are on the list.\n'),
  },
  {
    name: 'revenue.csv',
    ownerId: 'ana',
    tags: ['finance', '2026'],
    shared: true,
    bytes: Buffer.from('region,revenue\nnorth,1200\nsouth,950\n'),
  },
  {
    name: 'contract.pdf',
    ownerId: 'ana',
    tags: ['contracts', '2026'],
    bytes: onePagePdf('Master service agreement'),
  },
  { name: 'pixel.png', ownerId: 'ana', tags: [], bytes: onePixelPng() },
  {
    name: 'salaries.csv',
    ownerId: 'ben',
    tags: ['finance'],
    bytes: Buffer.from('name,salary\nben,1\n'),
  },
  {
    name: 'handbook.md',
    ownerId: 'ben',
    tags: [],
    readers: ['ana'],
    bytes: Buffer.from('# Handbook\n\nFor Ana only, besides me.\n'),
  },
]

/** Stores the samples that are not there yet; deleted ones stay deleted. Resolves with how many it stored. */
export async function storeSamples(stores: FileStores): Promise<number> {
  const { workspaceId } = sampleCaller
  const stored = samples.map(async ({ bytes, ...sample }, i) => {
    const fileId = `fl_${String(i + 1).padStart(24, '0')}`
    const present = await stores.files.get(workspaceId, fileId)
    if (present && present.state !== 'pending') return 0
    await storeFile(
      stores,
      { ...sample, workspaceId, fileId, createdAtMs: Date.UTC(2026, 0, 1, 9, i) },
      bytes,
    )
    return 1
  })
  return (await Promise.all(stored)).reduce<number>((sum, count) => sum + count, 0)
}

function onePixelPng(): Buffer {
  const base64 =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  return Buffer.from(base64, 'base64')
}

/** A small PDF with the title on its one page. */
function onePagePdf(title: string): Buffer {
  const content = `BT /F1 24 Tf 72 720 Td (${title}) Tj ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let pdf = '%PDF-1.4\n'
  const offsets = objects.map((object, i) => {
    const offset = pdf.length
    pdf += `${i + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  const xref = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join('')}`
  return Buffer.from(
    `${pdf}${xref}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${pdf.length}\n%%EOF\n`,
  )
}
