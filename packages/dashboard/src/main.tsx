import './app/nonce.ts';
import './styles.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Problem } from './api/problem.ts';
import { Gate } from './app/gate.tsx';
import { showTheme } from './app/preferences.ts';
import { router } from './app/router.tsx';
import { LiveUpdates } from './events/live.tsx';
import { Notices } from './parts/notice.tsx';

const MAX_RETRIES = 2;
const client = new QueryClient({
  defaultOptions: {
    queries: {
      // The stream of changes says what is old.
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => {
        const { status } = Problem.from(error);
        return failures < MAX_RETRIES && (status === 0 || status === 503);
      },
    },
  },
});

showTheme();
const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <Notices>
          <Gate>
            <LiveUpdates>
              <RouterProvider router={router} />
            </LiveUpdates>
          </Gate>
        </Notices>
      </QueryClientProvider>
    </StrictMode>,
  );
