# Two images of the same program: `docker build --target cpu -t editscope .`, and `docker build --target cuda -t editscope:cuda .` for machines with
# an NVIDIA GPU.
#
#   docker run -p 127.0.0.1:3000:3000 -v editscope:/data --init editscope
#   docker run --gpus all -p 127.0.0.1:3000:3000 -v editscope:/data --init editscope:cuda
#
# Settings are variables, as in docs/configuration.md: `-e EDITSCOPE_MAX_DATA_BYTES=50GiB`.

FROM rust:1.95-bookworm AS build
# For Binaryen, which makes the page smaller.
RUN apt-get update && apt-get install -y --no-install-recommends nodejs npm && rm -rf /var/lib/apt/lists/*
WORKDIR /editscope
COPY . .
# The image's toolchain is the one that rust-toolchain.toml names; the target that the page is compiled for comes with this.
RUN rustup target add wasm32-unknown-unknown \
    && cargo xtask page \
    && cargo build --locked --release --package server --bin editscope

FROM nvidia/cuda:13.0.1-runtime-ubuntu24.04 AS cuda
# Letters of previews, roots of encrypted connections to a database or a bucket; NVRTC is part of the image, the driver comes from the host.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates fonts-noto-core fonts-noto-cjk && rm -rf /var/lib/apt/lists/* \
    && install -d -o 10001 -g 10001 -m 0700 /data
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility \
    EDITSCOPE_ADDR=0.0.0.0:3000 EDITSCOPE_DATA=/data EDITSCOPE_SITE=/usr/local/share/editscope/site
COPY --from=build /editscope/target/release/editscope /usr/local/bin/editscope
COPY --from=build /editscope/target/site /usr/local/share/editscope/site
USER 10001:10001
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/3000 && printf 'GET /livez HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q alive <&3"]
ENTRYPOINT ["/usr/local/bin/editscope"]
CMD ["serve"]

FROM debian:bookworm-slim AS cpu
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates fonts-noto-core fonts-noto-cjk && rm -rf /var/lib/apt/lists/* \
    && install -d -o 10001 -g 10001 -m 0700 /data
ENV EDITSCOPE_ADDR=0.0.0.0:3000 EDITSCOPE_DATA=/data EDITSCOPE_SITE=/usr/local/share/editscope/site EDITSCOPE_ENGINES=cpu
COPY --from=build /editscope/target/release/editscope /usr/local/bin/editscope
COPY --from=build /editscope/target/site /usr/local/share/editscope/site
USER 10001:10001
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/3000 && printf 'GET /livez HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q alive <&3"]
ENTRYPOINT ["/usr/local/bin/editscope"]
CMD ["serve"]
