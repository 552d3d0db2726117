import { lazyRouteComponent } from '@tanstack/react-router'

/** The drawing, loaded with the first chart. After an update of the server its file may be gone: the router then loads the page anew, once. */
export const Drawing = lazyRouteComponent(() => import('./drawing.tsx'), 'Drawing')
