import type { ReactNode } from 'react'

export const metadata = { title: 'Skills, with Next.js' }

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en" style={{ colorScheme: 'light dark' }}>
      <body
        style={{
          font: '1rem/1.5 system-ui, sans-serif',
          maxWidth: '42rem',
          margin: '2rem auto',
          padding: '0 1rem',
        }}
      >
        {children}
      </body>
    </html>
  )
}
