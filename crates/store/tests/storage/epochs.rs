//! Epochs increase with changes.

testkit::both_databases! {
    async fn a_bumped_epoch_is_seen_through_another_handle(test) {
        let other = test.another_handle();
        let before = store::base::epochs::credentials(&other).await.unwrap();
        test.db.write((), |tx, ()| Box::pin(store::base::epochs::bump_credentials(tx))).await.unwrap();
        assert!(store::base::epochs::credentials(&other).await.unwrap() > before);
    }
}
