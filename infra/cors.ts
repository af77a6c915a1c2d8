/**
 * Which web pages may send uploads to the bucket: those of the configured origins, and of none by default. The URL that
 * a host signed is what allows an upload; this only lets a browser's script use it.
 */
import * as z from 'zod'

const Origin = z.string().refine((text) => /^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text, {
  error: (issue) => `UPLOAD_ORIGINS: "${issue.input}" is no origin; one looks like https://app.example.com`,
})

/** The origins of `UPLOAD_ORIGINS`, separated by commas. Throws for what is no origin; `*` is none. */
export function parseUploadOrigins(text = ''): string[] {
  const origins = text
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '')
  const parsed = z.array(Origin).safeParse(origins)
  if (parsed.success) return parsed.data
  throw new Error(parsed.error.issues.map(({ message }) => message).join('\n'))
}

/** The bucket's CORS rules for these origins, in S3's own words. */
export function uploadCors(origins: readonly string[]) {
  if (origins.length === 0) return []
  return [
    {
      AllowedOrigins: [...origins],
      AllowedMethods: ['PUT'],
      AllowedHeaders: ['content-type', 'content-encoding', 'if-none-match'],
      ExposeHeaders: ['etag', 'x-amz-version-id'],
      MaxAgeSeconds: 600,
    },
  ]
}
