//! Threads for work that needs a processor or blocks: few, apart from those that answer requests, and in turns by
//! tenant. Work is not done if its caller has stopped waiting before the work began. Work beyond what may wait is
//! refused (`Overloaded`); one tenant may fill at most half of the queue.
//!
//! Work that borrows from its caller cannot move to another thread. It takes a `turn` instead: a thread of the pool
//! stands still until the turn ends, while the caller's thread works in its place (`in_place`).

use std::cell::Cell;
use std::sync::{Arc, mpsc};
use std::time::Instant;

use parking_lot::{Condvar, Mutex};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::oneshot;

use super::{FairQueue, party};
use crate::Error;

type Job = Box<dyn FnOnce() + Send>;

/// Most pieces of work that may wait in a pool for computing, where each takes milliseconds.
const MOST_WAITING: usize = 256;

thread_local! {
    static COMPUTING: Cell<bool> = const { Cell::new(false) };
}

/// Whether the present thread is for computing: a thread of a pool, or one that works in the place of such a thread.
pub fn is_computing() -> bool {
    COMPUTING.get()
}

/// Runs work on the present thread, after a multi-threaded runtime has moved its other tasks away, so that they are not
/// delayed.
pub(crate) fn in_place<T>(work: impl FnOnce() -> T) -> T {
    if is_computing() {
        return work();
    }
    let _computing = Computing::begin();
    let is_multi_threaded = |runtime: Handle| runtime.runtime_flavor() == RuntimeFlavor::MultiThread;
    if Handle::try_current().is_ok_and(is_multi_threaded) { tokio::task::block_in_place(work) } else { work() }
}

/// Marks the present thread as computing until it is dropped.
struct Computing {
    before: bool,
}

impl Computing {
    fn begin() -> Self {
        Self { before: COMPUTING.replace(true) }
    }
}

impl Drop for Computing {
    fn drop(&mut self) {
        COMPUTING.set(self.before);
    }
}

/// A thread of a pool stands still while this exists. Without a thread on a thread that computes already.
#[derive(Debug)]
pub(crate) struct PoolTurn(#[expect(dead_code, reason = "its drop ends the turn")] Option<mpsc::Sender<()>>);

/// Threads start with the first work, and end when the pool is dropped and its queue is empty.
#[derive(Debug)]
pub struct WorkPool {
    name: &'static str,
    threads: usize,
    most_waiting: usize,
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    news: Condvar,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WorkPool")
    }
}

#[derive(Default)]
struct State {
    queue: FairQueue<Job>,
    started: usize,
    closed: bool,
}

impl WorkPool {
    /// A pool with half as many threads as processors.
    pub fn for_computing(name: &'static str) -> Self {
        Self::with_at_most(name, usize::MAX, MOST_WAITING)
    }

    /// A pool with at most `most_threads` threads, and at most half as many as processors, so that the other half
    /// answers requests. `most_waiting` is how many pieces of work may wait while the threads are busy.
    pub fn with_at_most(name: &'static str, most_threads: usize, most_waiting: usize) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self::new(name, processors.div_ceil(2).min(most_threads), most_waiting)
    }

    fn new(name: &'static str, threads: usize, most_waiting: usize) -> Self {
        Self { name, threads, most_waiting, shared: Arc::new(Shared { state: Mutex::default(), news: Condvar::new() }) }
    }

    /// Starts the threads that are missing. Fails only if none could be started at all.
    fn start(&self, state: &mut State) -> Result<(), Error> {
        while state.started < self.threads {
            let shared = Arc::clone(&self.shared);
            let thread = std::thread::Builder::new().name(self.name.to_owned());
            match thread.spawn(move || work(&shared)) {
                Ok(_) => state.started += 1,
                Err(_) if state.started > 0 => break,
                Err(error) => return Err(Error::Unavailable(error.to_string())),
            }
        }
        Ok(())
    }

    fn push(&self, job: Job) -> Result<(), Error> {
        let party = party();
        let mut state = self.shared.state.lock();
        self.start(&mut state)?;
        let of_party = if party.is_some() { self.most_waiting.div_ceil(2) } else { self.most_waiting };
        if state.queue.len() >= self.most_waiting || state.queue.len_of(party) >= of_party {
            return Err(Error::Overloaded);
        }
        state.queue.push(party, job);
        self.shared.news.notify_one();
        Ok(())
    }

    /// The result of `work`; an error if it panicked, or if too much work waits already.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move || {
            if !reply.is_closed() {
                let _ = reply.send(work());
            }
        });
        self.push(job)?;
        answer.await.map_err(|_| Error::Panicked)
    }

    /// Waits for a turn at a thread of the pool. Between the end of the wait and the end of the turn the caller must
    /// not await anything.
    pub(crate) async fn turn(&self) -> Result<PoolTurn, Error> {
        if is_computing() {
            return Ok(PoolTurn(None));
        }
        let (grant, granted) = oneshot::channel();
        let job: Job = Box::new(move || {
            let (turn, ended) = mpsc::channel();
            if grant.send(PoolTurn(Some(turn))).is_ok() {
                // An error: the turn was dropped.
                let _ = ended.recv();
            }
        });
        self.push(job)?;
        granted.await.map_err(|_| Error::Panicked)
    }
}

impl Drop for WorkPool {
    fn drop(&mut self) {
        self.shared.state.lock().closed = true;
        self.shared.news.notify_all();
    }
}

fn work(shared: &Shared) {
    let _computing = Computing::begin();
    let mut state = shared.state.lock();
    loop {
        let Some((party, job)) = state.queue.pop() else {
            if state.closed {
                return;
            }
            shared.news.wait(&mut state);
            continue;
        };
        drop(state);
        let began = Instant::now();
        // A panic drops the sender of the reply, which `run` reports as an error.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
        state = shared.state.lock();
        state.queue.charge(party, began.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future as _;
    use std::task::{Context, Waker};

    use super::*;

    #[tokio::test]
    async fn work_is_done_and_a_panic_is_an_error() {
        let pool = WorkPool::new("test", 2, 8);
        assert_eq!(pool.run(|| 7).await.unwrap(), 7);
        assert!(matches!(pool.run(|| panic!("on purpose")).await, Err::<(), _>(Error::Panicked)));
        assert_eq!(pool.run(|| 8).await.unwrap(), 8);
    }

    #[tokio::test]
    async fn a_turn_takes_the_place_of_a_thread() {
        let pool = WorkPool::new("test", 1, 8);
        let turn = pool.turn().await.unwrap();
        let mut context = Context::from_waker(Waker::noop());
        let (mut next, mut work) = (Box::pin(pool.turn()), Box::pin(pool.run(|| 7)));
        assert!(next.as_mut().poll(&mut context).is_pending() && work.as_mut().poll(&mut context).is_pending());
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(next.as_mut().poll(&mut context).is_pending() && work.as_mut().poll(&mut context).is_pending());
        assert!(!is_computing() && in_place(is_computing) && !is_computing());
        drop(turn);
        drop(next.await.unwrap());
        assert_eq!(work.await.unwrap(), 7);
        // A turn whose caller is gone ends at once, and work on the pool's own thread needs none.
        let mut gone = Box::pin(pool.turn());
        let _ = gone.as_mut().poll(&mut context);
        drop(gone);
        assert!(pool.run(is_computing).await.unwrap());
    }

    #[tokio::test]
    async fn work_whose_caller_is_gone_is_not_done() {
        let pool = WorkPool::new("test", 1, 8);
        let (open, gate) = mpsc::channel::<()>();
        let first = pool.run(move || gate.recv());
        let (done, was_done) = mpsc::channel();
        let mut second = Box::pin(pool.run(move || done.send(())));
        let mut first = Box::pin(first);
        let mut context = Context::from_waker(Waker::noop());
        assert!(first.as_mut().poll(&mut context).is_pending());
        assert!(second.as_mut().poll(&mut context).is_pending());
        drop(second);
        open.send(()).unwrap();
        first.await.unwrap().unwrap();
        assert_eq!(pool.run(|| 1).await.unwrap(), 1);
        assert!(was_done.try_recv().is_err());
    }

    #[tokio::test]
    async fn work_beyond_what_may_wait_is_refused_and_one_tenant_gets_half() {
        let pool = WorkPool::new("test", 1, 4);
        let (open, gate) = mpsc::channel::<()>();
        let mut context = Context::from_waker(Waker::noop());
        let mut first = Box::pin(pool.run(move || gate.recv()));
        assert!(first.as_mut().poll(&mut context).is_pending());
        while pool.shared.state.lock().queue.len() > 0 {
            tokio::task::yield_now().await;
        }
        let tenant = domain::TenantId::FIRST;
        let mut waiting: Vec<_> = (0..2).map(|_| Box::pin(crate::for_tenant(tenant, pool.run(|| ())))).collect();
        assert!(waiting.iter_mut().all(|one| one.as_mut().poll(&mut context).is_pending()));
        assert!(matches!(crate::for_tenant(tenant, pool.run(|| ())).await, Err(Error::Overloaded)));
        let mut others: Vec<_> = (0..2).map(|_| Box::pin(pool.run(|| ()))).collect();
        assert!(others.iter_mut().all(|one| one.as_mut().poll(&mut context).is_pending()));
        assert!(matches!(pool.run(|| ()).await, Err(Error::Overloaded)));
        open.send(()).unwrap();
        first.await.unwrap().unwrap();
        for one in waiting {
            one.await.unwrap();
        }
    }
}
