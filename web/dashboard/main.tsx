import './trusted-types.ts'
import './sign-in-code.ts'
import './theme.ts'
import './base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { isTooOld } from '../shared/is-too-old.ts'
import { queries } from './data/client.ts'
import { router } from './routes.tsx'

const root = document.querySelector('#root')
if (root !== null && !isTooOld())
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
